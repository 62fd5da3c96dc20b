/** One event, one line of JSON. */
export type Log = (event: string, fields?: Record<string, unknown>) => void

export const log: Log = (event, fields = {}) => {
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), event, ...fields })}\n`)
}

/** Where a URL leads; what is behind the question mark may be a secret. */
export const withoutQuery = (text: string): string => text.replaceAll(/(https?:\/\/[^\s?#"']*)[?#][^\s"']*/g, '$1')

/** An error with its causes, fit for the log. */
export const described = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { error: withoutQuery(String(error)) }
  const causes: string[] = []
  for (let cause = error.cause; cause instanceof Error && causes.length < 5; cause = cause.cause) {
    causes.push(withoutQuery(cause.message))
  }
  return { error: `${error.name}: ${withoutQuery(error.message)}`, causes, stack: withoutQuery(error.stack ?? '') }
}
