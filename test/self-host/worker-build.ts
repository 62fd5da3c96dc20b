import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildWorker } from '../../self-host/build.ts'

let built: Promise<string> | null = null

/** The folder of the Worker's bundle, which is built once. */
export const workerBuild = (): Promise<string> => {
  built ??= build()
  return built
}

const build = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'haul-worker-build-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  await buildWorker(folder)
  return folder
}
