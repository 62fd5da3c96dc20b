import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startBenchWorker } from '../start-worker.ts'
import type { Added, Found, Recording, Search, Use } from './measures.ts'

const run = promisify(execFile)

/** The index of bench/workers/words.ts. */
export type Words = Awaited<ReturnType<typeof startWords>>

/** Started again with the same folder, it has the same words. */
export const startWords = async (folder: string, sentences: readonly string[]) => {
  const persist = join(folder, 'words')
  const { url, stop } = await startBenchWorker(folder, 'words', { persist, bindings })
  const call = async <Result>(name: string, argument: unknown): Promise<Result> => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify([name, argument]) })
    if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`)
    return response.json() as Promise<Result>
  }
  await call('setSentences', sentences)
  return {
    add: (recordings: Recording[]) => call<Added>('add', recordings),
    remove: (recording: Recording) => call<Use>('remove', recording),
    find: (search: Search) => call<Found>('find', search),
    forget: () => forget(persist),
    stop,
  }
}

const bindings = {
  durable_objects: { bindings: [{ name: 'WORDS', class_name: 'MeasuredWords' }] },
  migrations: [{ tag: 'v1', new_sqlite_classes: ['MeasuredWords'] }],
}

/** The system drops the files of the databases from its memory. SQLite keeps 2 MB. */
const forget = async (persist: string): Promise<void> => {
  for (const file of globSync('**/*.sqlite*', { cwd: persist }).map((each) => join(persist, each))) {
    if ((await stat(file)).isFile()) await run('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])
  }
}
