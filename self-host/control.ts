import { createServer } from 'node:http'
import type { DataFolder } from './data-folder.ts'
import type { Runtime } from './runtime.ts'

export const startControl = async (folder: DataFolder, _runtime: () => Runtime | null) => {
  const server = createServer((_, response) => void response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(folder.socket, resolve))
  return {
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
