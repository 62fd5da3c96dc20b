import { isInShare } from '../domain/account/part-of.ts'

export type Log = (event: string, fields?: Record<string, unknown>) => void

export const log: Log = (event, fields = {}) => {
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`)
}

/** Each line is billed, so routine events are logged for a share of the jobs only, the same share as the Worker's. */
export const stepLog =
  (share: number, write: Log = log): Log =>
  (event, fields = {}) => {
    const isUsual = event === 'step started' || (event === 'step ended' && fields.status === 'done')
    if (!isUsual || isInShare(`${fields.jobId}`, share)) write(event, fields)
  }

/** Queries and fragments of URLs may contain signatures and tokens. */
const withoutQueries = (text: string): string => text.replaceAll(/(https?:\/\/[^\s?#"']*)[^\s"']*/g, '$1')

export const errorFields = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { error: withoutQueries(String(error)) }
  const causes: string[] = []
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(withoutQueries(cause.message))
  }
  const message = `${error.name}: ${withoutQueries(error.message)}`
  return { error: message, causes, stack: withoutQueries(error.stack ?? '') }
}
