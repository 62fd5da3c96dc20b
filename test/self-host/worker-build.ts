import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { buildWorker } from '../../self-host/build.ts'

let built: Promise<string> | null = null

/** The folder of the Worker's bundle, which is built once. */
export const workerBuild = (): Promise<string> => {
  built ??= build()
  return built
}

const build = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-worker-build-'))
  await buildWorker(folder)
  return folder
}

afterAll(async () => {
  if (built) await rm(await built, { recursive: true, force: true })
})
