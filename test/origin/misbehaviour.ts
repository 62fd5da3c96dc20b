/**
 * What an origin may do wrong, asked for in the query of any path:
 *
 *   noRange            answers 200 with everything, whatever range was asked for
 *   chunked            like noRange, and says no length
 *   gzip               like chunked, and compressed
 *   cutAfter=N         closes the socket after N bytes of a body
 *   stallAfter=N       sends N bytes of a body and then nothing, without closing
 *   holdAfter=N        sends at most N bytes of a body, and the rest when the test lets go of this URL
 *   times=K|always     how many requests are cut or stalled, or get `status` (default: 1; `status`: always)
 *   lieLength=N        says N as the length (and as the total of a range), whatever the truth
 *   wrongRange         answers ranges with other bytes than were asked for, and says so
 *   redirect=N         N redirects to itself first
 *   redirectTo=URL     one redirect to anywhere
 *   status=N           answers with this status (`retryAfter=S` adds the header)
 *   needReferer=TEXT   403 unless the Referer contains TEXT (which may be empty: any will do)
 *   etagChanges=N      after N requests the file is another one, with another ETag
 *   ignoreIfRange      answers 206 although If-Range no longer matches
 *   validator=none|weak|date   no ETag and no date, a weak ETag only, a date only
 *   type=MIME          the Content-Type
 *   disposition=VALUE  the Content-Disposition, as raw UTF-8 bytes
 *   ratePerSecond=N    bytes per second, over all connections to this path together
 *   slowFirstByteMs=N  waits before it answers
 *   maxParallel=N      503 for requests beyond N at a time to this path
 *
 * and of text, such as a playlist:
 *
 *   drop=TEXT          leaves out the lines that contain TEXT
 *   swap=FROM|TO       replaces FROM by TO (may be there several times)
 *   uris=QUERY         adds QUERY to the lines that are not tags (`only=TEXT`: that contain TEXT)
 */
export type Misbehaviour = URLSearchParams

/** Bytes of a text after its misbehaviours. */
export function alterText(text: string, query: Misbehaviour): string {
  const drop = query.get('drop')
  return swapped(text, query.getAll('swap'))
    .split('\n')
    .filter((line) => !drop || !line.includes(drop))
    .map((line) => alterUri(line, query))
    .join('\n')
}

function swapped(text: string, swaps: string[]): string {
  return swaps.reduce((swapping, swap) => {
    const [from = '', to = ''] = swap.split('|')
    return from === '' ? swapping : swapping.replaceAll(from, to)
  }, text)
}

function alterUri(line: string, query: Misbehaviour) {
  const extra = query.get('uris')
  const concerned = extra && line !== '' && !line.startsWith('#') && line.includes(query.get('only') ?? '')
  return concerned ? `${line}?${extra}` : line
}

export const altersText = (query: Misbehaviour) => ['drop', 'swap', 'uris'].some((name) => query.has(name))

export const numberOf = (query: Misbehaviour, name: string): number | null =>
  query.has(name) ? Number(query.get(name)) : null

/** Whether the misbehaviour still happens when the same URL was asked for `before` times already. */
export function happens(query: Misbehaviour, before: number, byDefault: number): boolean {
  const times = query.get('times')
  if (times === 'always') return true
  return before < (times === null ? byDefault : Number(times))
}
