// The words that changed between two texts.

const MOST_WORDS = 300; // longer texts are shown whole: the comparison takes the product of their lengths

/** [{kind: "same" | "removed" | "added", text}] */
export function diff(before, after) {
  const [one, other] = [before, after].map((text) => text.split(/(\s+)/).filter(Boolean));
  if (one.length > MOST_WORDS || other.length > MOST_WORDS) {
    return [{ kind: "removed", text: before }, { kind: "added", text: after }].filter((each) => each.text);
  }
  const length = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      length[row][column] =
        one[row] === other[column] ? length[row + 1][column + 1] + 1 : Math.max(length[row + 1][column], length[row][column + 1]);
    }
  }
  const parts = [];
  const add = (kind, text) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    if (row < one.length && column < other.length && one[row] === other[column]) {
      add("same", one[row]);
      row += 1;
      column += 1;
    } else if (column >= other.length || (row < one.length && length[row + 1][column] >= length[row][column + 1])) {
      add("removed", one[row]);
      row += 1;
    } else {
      add("added", other[column]);
      column += 1;
    }
  }
  return parts;
}
