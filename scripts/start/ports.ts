import { createServer } from 'node:net'

const HOST = '127.0.0.1'

/** Below what systems hand out to connections: nobody takes one by chance before we listen there. */
const FIRST = 20_000
/** Each process looks among some of its own: of two that start at once, none finds what the other has just found. */
const SHARES = 120
const SHARE = 100

/** Answers with the port when it is free, and with any free one when none is asked for. */
export const claimPort = async (wanted: number, variable: string): Promise<number> => {
  if (wanted === 0) return anyPort()
  if (await isFree(wanted)) return wanted
  throw new Error(`Port ${wanted} is taken by another program: choose a free one with ${variable}=…`)
}

let taken = 0

const anyPort = async (): Promise<number> => {
  for (let attempt = 0; attempt < SHARE; attempt++) {
    const port = FIRST + (process.pid % SHARES) * SHARE + (taken++ % SHARE)
    if (await isFree(port)) return port
  }
  throw new Error('No free port was found.')
}

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen(port, HOST, () => server.close(() => resolve(true)))
  })
