// A conversation with the agent: what it recalls and why, the answer as it comes, what it cites, and what follows.
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { post } from "../api.js";
import { html } from "../html.js";
import { ask, follow } from "../live.js";
import { Kind, Status } from "../parts/badges.js";
import { Bars } from "../parts/bars.js";
import { notify } from "../parts/dialog.js";
import { Icon } from "../parts/icons.js";
import { Empty, Page } from "../parts/page.js";
import { feed, newTurn, withJob, withoutMemory } from "../parts/turn.js";
import { address } from "../router.js";
import { decimal, t, term } from "../texts.js";
import { Time } from "../time.js";

// They outlive the pane, so that a look at a memory does not end the conversation.
const turns = signal([]);
const conversation = signal(newConversation());

function newConversation() {
  return `ui-${crypto.randomUUID()}`;
}

follow(["job."], (event) => {
  const last = turns.value.at(-1);
  if (last && event.kind !== "lost") last.value = withJob(last.value, event);
});

function begin() {
  turns.value = [];
  conversation.value = newConversation();
}

follow(["memory.forgotten"], (event) => {
  if (event.kind === "lost") return;
  if (event.all || event.record_id === conversation.value) begin();
  for (const turn of turns.value) turn.value = withoutMemory(turn.value, event.record_id);
});

async function put(question) {
  const turn = newTurn(question);
  turns.value = [...turns.value, turn];
  const request = { question, conversation_id: conversation.value };
  try {
    await ask(request, (message) => {
      turn.value = feed(turn.value, message);
    });
  } catch (error) {
    turn.value = { ...turn.value, ended: true, error: error.message === "lost" ? t("ask.lost") : error.message || t("state.unreachable") };
  }
}

export function Ask() {
  const actions = turns.value.length > 0 && html`<button type="button" class="button" onClick=${begin}>${t("ask.new")}</button>`;
  return html`<${Page} title=${t("pane.ask")} lead=${t("ask.lead")} actions=${actions}>
    ${turns.value.length === 0 && html`<${Empty} title=${t("ask.empty")} text=${t("ask.empty_text")} />`}
    <ol class="turns">
      ${turns.value.map((turn, place) => html`<${Turn} key=${turn} turn=${turn} last=${place === turns.value.length - 1} />`)}
    </ol>
    <${Composer} busy=${turns.value.length > 0 && !turns.value.at(-1).value.ended} />
  <//>`;
}

function Composer({ busy }) {
  const [text, setText] = useState("");
  const field = useRef(null);
  const submit = (event) => {
    event.preventDefault();
    const question = text.trim();
    if (!question || busy) return;
    setText("");
    put(question);
    field.current?.focus();
  };
  const onKeyDown = (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return html`<form class="composer" onSubmit=${submit}>
    <label class="unseen" for="question">${t("ask.question")}</label>
    <textarea
      id="question"
      ref=${field}
      rows="2"
      placeholder=${t("ask.placeholder")}
      value=${text}
      onInput=${(event) => setText(event.target.value)}
      onKeyDown=${onKeyDown}
    ></textarea>
    <button type="submit" class="button primary" disabled=${busy || !text.trim()}><${Icon} name="send" />${t("ask.send")}</button>
  </form>`;
}

function Turn({ turn, last }) {
  const { question, at, recalled, cited, answer, error, ended, thoughts, jobs } = turn.value;
  const element = useRef(null);
  useEffect(() => {
    if (last) element.current?.scrollIntoView({ block: "end" });
  }, [last, ended]);
  const memories = recalled?.memories ?? [];
  const indices = cited?.indices ?? [];
  return html`<li class="turn" ref=${element}>
    <div class="said"><p>${question}</p><${Time} at=${at} /></div>
    <div class="card reply">
      <${Spoken} text=${answer} ended=${ended} />
      ${answer
        ? html`<p class="answer">${answer}${ended && indices.map((index) => html`<${Citation} index=${index} memory=${memories[index]} />`)}</p>`
        : !ended && html`<p class="thinking">${recalled ? t("ask.answering") : t("ask.recalling")}</p>`}
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${ended && !error && html`<${Verdict} turn=${turn.value} />`}
      ${recalled && html`<${Recalled} question=${question} recalled=${recalled} cited=${indices} last=${last} />`}
      ${thoughts.length > 0 && html`<${Thoughts} thoughts=${thoughts} />`}
      ${jobs.length > 0 && html`<${Jobs} jobs=${jobs} />`}
    </div>
  </li>`;
}

// For assistive software: whole sentences, not each piece of a stream.
function Spoken({ text, ended }) {
  const whole = ended ? text : text.slice(0, Math.max(text.lastIndexOf(". "), text.lastIndexOf("\n")) + 1);
  return html`<div class="unseen" aria-live="polite">${whole}</div>`;
}

function Citation({ index, memory }) {
  if (!memory || memory.erased) return null;
  return html`<a class="cite" href=${address(["memories", memory.id])} title=${memory.content}>${index + 1}</a>`;
}

function Verdict({ turn }) {
  const [rated, setRated] = useState(0);
  const ids = turn.cited?.ids ?? [];
  const rate = async (rating) => {
    try {
      await Promise.all(ids.map((id) => post(`/v1/memories/${id}/feedback`, { rating })));
      setRated(rating);
      notify(t("ask.rated", { n: ids.length }));
    } catch (error) {
      notify(error.message || t("state.unreachable"));
    }
  };
  const rests = ids.length ? t("ask.rests", { n: ids.length }) : t("ask.rests_on_none");
  return html`<div class="verdict">
    <span>${rests}</span>
    ${ids.length > 0 &&
    html`<span class="thumbs">
      <button type="button" class="button quiet" aria-pressed=${rated === 1} onClick=${() => rate(1)}>
        <${Icon} name="up" /><span class="unseen">${t("ask.useful")}</span>
      </button>
      <button type="button" class="button quiet" aria-pressed=${rated === -1} onClick=${() => rate(-1)}>
        <${Icon} name="down" /><span class="unseen">${t("ask.useless")}</span>
      </button>
    </span>`}
  </div>`;
}

function Recalled({ question, recalled, cited, last }) {
  const memories = recalled.memories ?? [];
  const most = Math.max(0.01, ...memories.flatMap((each) => Object.values(each.why ?? {}).map((value) => Math.abs(Number(value)))));
  const missing = recalled.missing ?? [];
  if (!memories.length) {
    const reason = recalled.gate ? t("ask.gate", { reason: recalled.gate }) : t("ask.nothing_recalled");
    return html`<p class="quiet-line">${reason}</p>`;
  }
  return html`<details class="recalled" open=${last || undefined}>
    <summary>${t("ask.recalled", { n: memories.length })}</summary>
    ${missing.map((each) => html`<p class="warning">${t("ask.missing", { part: each.part, reason: each.reason })}</p>`)}
    <ol>
      ${memories.map(
        (memory, place) => html`<li class=${cited.includes(place) ? "memory cited" : "memory"}>
          <span class="number">${place + 1}</span>
          <div>
            ${memory.erased
              ? html`<p class="quiet-line">${t("ask.erased")}</p>`
              : html`<p class="clipped"><a href=${address(["memories", memory.id])}>${memory.content}</a></p>`}
            <p class="meta">
              <${Kind} kind=${memory.kind} />
              ${memory.speaker && html`<span>${memory.speaker}</span>`} <${Time} at=${memory.said_at} />
              ${memory.until && html`<span>${memory.until}</span>`}
              <span>${t("ask.score", { score: decimal(memory.score) })}</span>
              ${memory.rank_before >= 0 && memory.rank_before !== place && html`<span>${t("ask.rank_before", { rank: memory.rank_before + 1 })}</span>`}
              ${cited.includes(place) && html`<strong>${t("ask.cited")}</strong>`}
            </p>
            <${Bars} why=${memory.why} most=${most} limit=${4} />
          </div>
        </li>`,
      )}
    </ol>
    <p class="quiet-line"><a href=${address(["recall"], { q: question })}>${t("ask.debug")}</a></p>
  </details>`;
}

const Thoughts = ({ thoughts }) => html`<details class="thoughts">
  <summary>${t("ask.thoughts", { n: thoughts.length })}</summary>
  ${thoughts.map((each) => html`<p class=${each.kind}><strong>${term("step", each.kind)}</strong> ${each.text}</p>`)}
</details>`;

const Jobs = ({ jobs }) => html`<ul class="jobs-line" aria-label=${t("ask.jobs")}>
  ${jobs.map(
    (job) => html`<li title=${job.error || undefined}>${term("job", job.kind)} <${Status} status=${job.status} /></li>`,
  )}
</ul>`;
