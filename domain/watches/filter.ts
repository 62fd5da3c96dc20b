export interface WatchFilter {
  title?: string[] | undefined
  notTitle?: string[] | undefined
  minSeconds?: number | undefined
  maxSeconds?: number | undefined
}

/** `unmeasured`: it would pass, but its length counts and is not stated. */
export type Passage = 'passes' | 'filtered' | 'unmeasured'

export const passageOf = (
  { title, notTitle = [], minSeconds, maxSeconds }: WatchFilter,
  item: { title: string | null; seconds: number | null },
): Passage => {
  const text = (item.title ?? '').toLowerCase()
  const has = (part: string) => text.includes(part.toLowerCase())
  if ((title && !title.some(has)) || notTitle.some(has)) return 'filtered'
  if (minSeconds === undefined && maxSeconds === undefined) return 'passes'
  if (item.seconds === null) return 'unmeasured'
  const fits = item.seconds >= (minSeconds ?? 0) && item.seconds <= (maxSeconds ?? Number.POSITIVE_INFINITY)
  return fits ? 'passes' : 'filtered'
}
