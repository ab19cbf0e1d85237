// A list of any length of which only the visible rows are in the document.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";

const MARGIN = 6; // rows above and below the visible ones

/**
 * `total` rows of `height` pixels.  `row(index)` renders one.  `need(first, last)` is called with the rows that are about to be
 * seen.  Arrow keys, Home and End move between the links of the rows.  `label`: of the list, for assistive software.
 */
export function VirtualList({ total, height, row, need, label, version }) {
  const box = useRef(null);
  const [view, setView] = useState({ top: 0, size: 800 });
  useLayoutEffect(() => {
    const element = box.current;
    const read = () => setView({ top: element.scrollTop, size: element.clientHeight });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener("scroll", read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", read);
    };
  }, []);
  const first = Math.max(0, Math.floor(view.top / height) - MARGIN);
  const last = Math.min(total, Math.ceil((view.top + view.size) / height) + MARGIN);
  useEffect(() => {
    if (last > first) need(first, last - 1);
  }, [first, last, version]);
  const focusRow = (index) => {
    const wanted = Math.min(total - 1, Math.max(0, index));
    const top = wanted * height;
    const element = box.current;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + height > element.scrollTop + element.clientHeight) element.scrollTop = top + height - element.clientHeight;
    requestAnimationFrame(() => requestAnimationFrame(() => element.querySelector(`[data-row="${wanted}"] a`)?.focus()));
  };
  const onKeyDown = (event) => {
    const at = Number(event.target.closest?.("[data-row]")?.dataset.row ?? -1);
    const page = Math.max(1, Math.floor(view.size / height) - 1);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: total - 1 }[event.key];
    if (next === undefined || at < 0) return;
    event.preventDefault();
    focusRow(next);
  };
  const rows = [];
  for (let index = first; index < last; index += 1) {
    rows.push(
      html`<li
        key=${index}
        data-row=${index}
        aria-posinset=${index + 1}
        aria-setsize=${total}
        style=${{ transform: `translateY(${index * height}px)`, height: `${height}px` }}
      >
        ${row(index)}
      </li>`,
    );
  }
  return html`<div class="virtual" ref=${box} tabindex="0" role="region" aria-label=${label} onKeyDown=${onKeyDown}>
    <ul style=${{ height: `${total * height}px` }}>
      ${rows}
    </ul>
  </div>`;
}
