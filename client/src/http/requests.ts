import type { RequestToSend } from './connection.ts'

/** An id is one segment of a path, whatever characters it has. */
export const pathOf = (collection: 'jobs' | 'batches' | 'uploads', id: string): string =>
  `/${collection}/${encodeURIComponent(id)}`

/** A start may be sent again: the service answers an Idempotency-Key that it knows as it did before. */
export const startRequest = (path: string, body: object | undefined, idempotencyKey = randomKey()): RequestToSend => ({
  method: 'POST',
  path,
  body,
  idempotencyKey,
})

/** `crypto.randomUUID` is missing in pages that were not loaded with https. */
const randomKey = (): string => crypto.getRandomValues(new Uint8Array(16)).join('-')
