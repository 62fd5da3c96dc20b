import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { archiveOf } from './backup/archive.ts'
import { takeSnapshot } from './backup/snapshot.ts'
import type { DataFolder } from './data/data-folder.ts'
import { log } from './log.ts'
import type { Runtime } from './worker/runtime.ts'

/** What commands ask of the running server, on its socket in the data folder: `POST /backup` and `POST /api-key`. */
export interface Running {
  runtime: Pick<Runtime, 'pid'>
  migrations: string[]
  newApiKey: () => Promise<string>
}

export const startControl = async (folder: DataFolder, running: () => Running | null) => {
  let isBusy = false
  const server = createServer(async (request, response) => {
    const refuse = (status: number, message: string) => response.writeHead(status).end(message)
    const isKnown = request.url === '/backup' || request.url === '/api-key'
    if (request.method !== 'POST' || !isKnown) return refuse(404, 'Not found.')
    const known = running()
    if (!known) return refuse(503, 'Haul is starting. Try again in a moment.')
    if (request.url === '/api-key') {
      const key = await known.newApiKey().catch((error: Error) => error)
      return key instanceof Error ? refuse(500, key.message) : response.end(key)
    }
    if (isBusy) return refuse(409, 'A backup is running.')
    isBusy = true
    try {
      await backUp(folder, known, response)
    } catch (error) {
      const { message } = error as Error
      log('backup failed', { error: message })
      if (response.headersSent) response.destroy()
      else refuse(500, message)
    } finally {
      // A copy that failed may still be writing for a moment. What is left is removed by the next backup.
      await rm(folder.snapshot, { recursive: true, force: true, maxRetries: 10 }).catch((error: Error) => {
        log('snapshot not removed', { error: error.message })
      })
      isBusy = false
    }
  })
  server.listen(folder.socket)
  await once(server, 'listening')
  return {
    stop: async () => {
      const closed = once(server.close(), 'close')
      server.closeAllConnections()
      await closed
    },
  }
}

const backUp = async ({ state, snapshot }: DataFolder, { runtime, migrations }: Running, response: ServerResponse) => {
  const taken = await takeSnapshot({ state, folder: snapshot, runtimePid: runtime.pid, migrations })
  log('backup', { ...taken })
  response.writeHead(200, { 'content-type': 'application/x-tar' })
  await pipeline(archiveOf(snapshot), response)
}
