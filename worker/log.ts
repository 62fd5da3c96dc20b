/** One line of JSON, so that logs can be searched by field. It never contains a secret, or the path of a source. */
export const logEvent = (event: string, fields: object, level: 'log' | 'warn' | 'error' = 'log'): void =>
  console[level](JSON.stringify({ event, ...fields }))
