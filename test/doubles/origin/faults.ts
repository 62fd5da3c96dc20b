/**
 * Faults of an origin. A request selects them with its query, on any path:
 *
 *   noRange            ignores Range and sends the whole file with 200
 *   chunked            like noRange, without a Content-Length
 *   gzip               like chunked, and compressed
 *   cutAfter=N         closes the connection after N bytes of the body
 *   stallAfter=N       sends N bytes of the body and keeps the connection open
 *   holdAfter=N        sends at most N bytes of the body, and the rest when the test releases this URL
 *   times=K|always     how many requests are cut or stalled, or get `status` (default: 1; `status`: always)
 *   lieLength=N        sends N as the length (and as the total of a range), whatever the real length is
 *   wrongRange         sends another range than the requested one, with its correct Content-Range
 *   secondHalf         sends 206 and the second half of the file, whatever is requested
 *   redirect=N         redirects N times to the same path
 *   redirectTo=URL     redirects once to the URL
 *   status=N           responds with this status (`retryAfter=S` adds the header)
 *   needReferer=TEXT   403 unless the Referer contains TEXT (empty: any Referer)
 *   etagChanges=N      after N requests the file has other bytes and another ETag
 *   ignoreIfRange      sends 206 although If-Range does not match any more
 *   validator=none|weak|date   no ETag and no Last-Modified, only a weak ETag, only Last-Modified
 *   type=MIME          the Content-Type
 *   disposition=VALUE  the Content-Disposition, as raw UTF-8 bytes
 *   ratePerSecond=N    bytes per second, for all connections to this path together
 *   slowFirstByteMs=N  waits before it responds
 *   maxParallel=N      503 for more than N concurrent requests to this path
 *
 * For text, such as a playlist:
 *
 *   drop=TEXT          removes the lines that contain TEXT
 *   swap=FROM|TO       replaces FROM with TO (can be repeated)
 *   uris=QUERY         adds QUERY to the lines that are not tags (`only=TEXT`: and that contain TEXT)
 */
export type FaultQuery = URLSearchParams

export function alterText(text: string, query: FaultQuery): string {
  const drop = query.get('drop')
  return swapped(text, query.getAll('swap'))
    .split('\n')
    .filter((line) => !drop || !line.includes(drop))
    .map((line) => alterUri(line, query))
    .join('\n')
}

function swapped(text: string, swaps: string[]): string {
  return swaps.reduce((result, swap) => {
    const [from = '', to = ''] = swap.split('|')
    return from === '' ? result : result.replaceAll(from, to)
  }, text)
}

function alterUri(line: string, query: FaultQuery) {
  const extra = query.get('uris')
  const isChanged = extra && line !== '' && !line.startsWith('#') && line.includes(query.get('only') ?? '')
  return isChanged ? `${line}?${extra}` : line
}

export const altersText = (query: FaultQuery) => ['drop', 'swap', 'uris'].some((name) => query.has(name))

export const numberOf = (query: FaultQuery, name: string): number | null =>
  query.has(name) ? Number(query.get(name)) : null

/** Whether the fault still happens after `before` requests for the same URL. */
export function happens(query: FaultQuery, before: number, byDefault: number): boolean {
  const times = query.get('times')
  if (times === 'always') return true
  return before < (times === null ? byDefault : Number(times))
}
