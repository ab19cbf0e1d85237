// The receipt of an erasure: what was found, removed and left in each place.
import { html } from "../html.js";
import { t, term } from "../texts.js";

/** One receipt of several erasures.  `receipts`: null for one that is still running. */
export function sum(receipts) {
  const places = {};
  for (const [place, counts] of receipts.flatMap((each) => Object.entries(each?.places ?? {}))) {
    const total = (places[place] ??= { found: 0, removed: 0, left: 0 });
    for (const name of Object.keys(total)) total[name] += Number(counts[name] ?? 0);
  }
  return receipts.every((each) => each?.places) ? { places, complete: receipts.every((each) => each.complete) } : null;
}

/** `receipt`: as the server sends it; empty while the erasure is running. */
export function Receipt({ receipt }) {
  const places = Object.entries(receipt?.places ?? {}).filter(([, counts]) => counts.found || counts.left);
  if (!receipt?.places) return html`<p>${t("receipt.running")}</p>`;
  return html`<p class=${receipt.complete ? "" : "error"}>${receipt.complete ? t("receipt.complete") : t("receipt.incomplete")}</p>
    ${places.length > 0 &&
    html`<table class="table">
      <thead>
        <tr>
          <th scope="col">${t("receipt.place")}</th>
          <th scope="col" class="number">${t("receipt.found")}</th>
          <th scope="col" class="number">${t("receipt.removed")}</th>
          <th scope="col" class="number">${t("receipt.left")}</th>
        </tr>
      </thead>
      <tbody>
        ${places.map(
          ([place, counts]) => html`<tr>
            <th scope="row">${term("place", place)}</th>
            <td class="number">${counts.found}</td>
            <td class="number">${counts.removed}</td>
            <td class="number">${counts.left}</td>
          </tr>`,
        )}
      </tbody>
    </table>`}`;
}
