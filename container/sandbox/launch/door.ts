import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A Unix socket to which a child connects, so that its messages have connections of their own. */
export const openDoor = async (path: string) => {
  const free = new Set<Socket>()
  const waiting: PromiseWithResolvers<Socket>[] = []
  let failure: Error | null = null
  const server = createServer({ allowHalfOpen: true }, (connection) => {
    connection.on('error', () => {})
    const first = waiting.shift()
    if (first) return first.resolve(connection)
    free.add(connection)
    connection.once('close', () => free.delete(connection))
  })
  await once(server.listen(path).unref(), 'listening')
  return {
    /** The connections in the order in which the child makes them. */
    next: (): Promise<Socket> => {
      const next = Promise.withResolvers<Socket>()
      const [connection] = free
      if (failure) next.reject(failure)
      else if (!connection) waiting.push(next)
      else if (free.delete(connection)) next.resolve(connection)
      return next.promise
    },
    /** Everyone who waits for a connection, now or later, gets this error. */
    close: (reason: Error): void => {
      failure ??= reason
      server.close()
      for (const { reject } of waiting.splice(0)) reject(failure)
      for (const connection of free) connection.destroy()
    },
  }
}
