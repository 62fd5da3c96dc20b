/** Lines whatever ends them, one at a time: ten million empty ones need no room. */
export function* lines(text: string): Generator<string> {
  // `\r\r\n` is what a text-mode copy makes of CRLF, and one line end.
  const unix = text.replace(/\r\r?\n|\r/g, '\n')
  let from = 0
  while (from <= unix.length) {
    const end = unix.indexOf('\n', from)
    const to = end === -1 ? unix.length : end
    yield unix.slice(from, to)
    from = to + 1
  }
}
