/** Replacements in a text: apply, revert, compose, trim. Pure. */

/** Replaces `length` characters at `offset` by `text`. */
export interface TextEdit {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Applies edits that are in order and do not overlap; throws RangeError otherwise. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = "";
  let cursor = 0;
  for (const edit of edits) {
    if (edit.offset < cursor || edit.offset + edit.length > text.length) {
      throw new RangeError("Cannot apply edits: they overlap or leave the text");
    }
    result += text.slice(cursor, edit.offset) + edit.text;
    cursor = edit.offset + edit.length;
  }
  return result + text.slice(cursor);
}

type Piece =
  | { readonly kind: "kept"; readonly start: number; readonly end: number }
  | { readonly kind: "new"; readonly text: string };

function pieceLength(piece: Piece): number {
  return piece.kind === "kept" ? piece.end - piece.start : piece.text.length;
}

function piecesOf(edits: readonly TextEdit[]): Piece[] {
  const pieces: Piece[] = [];
  let cursor = 0;
  for (const edit of edits) {
    if (edit.offset > cursor) pieces.push({ kind: "kept", start: cursor, end: edit.offset });
    if (edit.text !== "") pieces.push({ kind: "new", text: edit.text });
    cursor = edit.offset + edit.length;
  }
  // The text's length is not needed: what follows the last edit is kept, however long it is.
  pieces.push({ kind: "kept", start: cursor, end: Infinity });
  return pieces;
}

function cutPiece(piece: Piece, at: number): [Piece, Piece] {
  if (piece.kind === "new") {
    return [{ kind: "new", text: piece.text.slice(0, at) }, {
      kind: "new",
      text: piece.text.slice(at),
    }];
  }
  const middle = piece.start + at;
  return [{ ...piece, end: middle }, { ...piece, start: middle }];
}

/** Splits so that a piece begins at `offset`; returns its index. */
function splitAt(pieces: Piece[], offset: number): number {
  let position = 0;
  for (let index = 0; index < pieces.length; index++) {
    if (position === offset) return index;
    const piece = pieces[index]!;
    const length = pieceLength(piece);
    if (offset < position + length) {
      pieces.splice(index, 1, ...cutPiece(piece, offset - position));
      return index + 1;
    }
    position += length;
  }
  return pieces.length;
}

function editsOf(pieces: readonly Piece[]): TextEdit[] {
  const edits: TextEdit[] = [];
  let cursor = 0;
  let pending = "";
  for (const piece of pieces) {
    if (piece.kind === "new") {
      pending += piece.text;
      continue;
    }
    if (piece.start > cursor || pending !== "") {
      edits.push({ offset: cursor, length: piece.start - cursor, text: pending });
    }
    pending = "";
    cursor = piece.end;
  }
  return edits;
}

/** One list of edits that does what `first` and then `second` (made for its result) do. */
export function composeEdits(
  first: readonly TextEdit[],
  second: readonly TextEdit[],
): TextEdit[] {
  const pieces = piecesOf(first);
  // From the end, so that the offsets of the edits still to come stay true.
  for (const edit of [...second].reverse()) {
    const start = splitAt(pieces, edit.offset);
    const end = splitAt(pieces, edit.offset + edit.length);
    pieces.splice(start, end - start, { kind: "new", text: edit.text });
  }
  return editsOf(pieces);
}

/** The same edits without what they leave as it was; edits without effect vanish. */
export function trimEdits(text: string, edits: readonly TextEdit[]): TextEdit[] {
  const trimmed: TextEdit[] = [];
  for (const edit of edits) {
    const old = text.slice(edit.offset, edit.offset + edit.length);
    if (old === edit.text) continue;
    const limit = Math.min(old.length, edit.text.length);
    let head = 0;
    while (head < limit && old[head] === edit.text[head]) head++;
    let tail = 0;
    while (tail < limit - head && old.at(-1 - tail) === edit.text.at(-1 - tail)) tail++;
    trimmed.push({
      offset: edit.offset + head,
      length: edit.length - head - tail,
      text: edit.text.slice(head, edit.text.length - tail),
    });
  }
  return trimmed;
}

/** The edits that lead from the result of `edits` back to `text`. */
export function invertEdits(text: string, edits: readonly TextEdit[]): TextEdit[] {
  let shift = 0;
  return edits.map((edit) => {
    const offset = edit.offset + shift;
    shift += edit.text.length - edit.length;
    return {
      offset,
      length: edit.text.length,
      text: text.slice(edit.offset, edit.offset + edit.length),
    };
  });
}
