import { asOperator } from './caller.ts'

/** What `GET /admin/metrics` says, by series as they are written. */
export const scrape = async () => {
  const { status, body } = await asOperator('GET', '/admin/metrics')
  if (status !== 200) throw new Error(`GET /admin/metrics answered ${status}`)
  const lines = (body as string).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const series = new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ')
      return [line.slice(0, end), Number(line.slice(end + 1))] as const
    }),
  )
  return { text: body as string, series, read: (name: string) => series.get(name) ?? Number.NaN }
}
