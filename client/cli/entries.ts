/** All entries of a list that comes in pages. */
export const all = async <Entry>(list: AsyncIterable<Entry>): Promise<Entry[]> => {
  const entries: Entry[] = []
  for await (const entry of list) entries.push(entry)
  return entries
}
