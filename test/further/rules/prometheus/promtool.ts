import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePromtool } from './ensure-promtool.mjs'
import { alertTest, type Firing, type Scrape } from './time-line.ts'

export const rulesFile = join(import.meta.dirname, '../../../../docs/alerts.yml')

export interface PromtoolResult {
  isOk: boolean
  output: string
}

/** `input` is written into a file whose path is the last argument but for `after`. */
export const promtool = async (args: string[], input: string, after: string[] = []): Promise<PromtoolResult> => {
  const program = await ensurePromtool(console.log)
  const folder = await mkdtemp(join(tmpdir(), 'haul-promtool-'))
  try {
    const file = join(folder, 'input.yml')
    await writeFile(file, input)
    return await new Promise((resolve) => {
      execFile(
        program,
        [...args, file, ...after],
        { cwd: folder, maxBuffer: 16 * 1024 ** 2 },
        (error, stdout, stderr) => resolve({ isOk: !error, output: `${stdout}${stderr}`.trim() }),
      )
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** What differs from the expected alerts: nothing, or promtool's list. */
export const wrongAlerts = async (scrapes: Scrape[], firings: Firing[]): Promise<string> => {
  const { isOk, output } = await promtool(['test', 'rules'], alertTest(rulesFile, scrapes, firings))
  return isOk ? '' : output
}

/** What Prometheus's OpenMetrics parser says against a scrape: nothing, or its error. Backfilling wants timestamps. */
export const parseError = async (scrape: string): Promise<string> => {
  const dated = scrape.replace(/^(?!#)(.+)$/gm, '$1 1')
  const { isOk, output } = await promtool(['tsdb', 'create-blocks-from', 'openmetrics'], dated, ['blocks'])
  return isOk ? '' : output
}
