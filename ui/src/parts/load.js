// Reading data for a pane: its states, and reading it again.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { follow } from "../live.js";

const SETTLE_MS = 250; // several events at once are one reading

/**
 * `read(signal)` returns a promise.  It is called again when a value of `depends` changes, by `again()`, and after events of
 * `events` (prefixes of kinds).  Returns {data, error, loading, again}; former data stays while it is
 * read again, and goes when it exists no more.
 */
export function useLoad(read, depends = [], events = []) {
  const [state, setState] = useState({ data: undefined, error: null, loading: true });
  const running = useRef(null);
  const again = useCallback(() => {
    running.current?.abort();
    const mine = (running.current = new AbortController());
    setState((before) => ({ ...before, loading: true }));
    read(mine.signal).then(
      (data) => mine.signal.aborted || setState({ data, error: null, loading: false }),
      (error) => {
        if (mine.signal.aborted) return;
        const gone = error.status === 404; // what was erased leaves the screen
        setState(({ data }) => ({ data: gone ? undefined : data, error, loading: false }));
      },
    );
  }, depends);
  useEffect(() => {
    again();
    return () => running.current?.abort();
  }, [again]);
  useEffect(() => {
    if (!events.length) return undefined;
    let timer = 0;
    const end = follow(events, () => {
      clearTimeout(timer);
      timer = setTimeout(again, SETTLE_MS);
    });
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [again, events.join()]);
  return { ...state, again };
}
