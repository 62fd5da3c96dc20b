/** A request. `path` is relative to the account. */
export interface Call {
  method: string
  path: string
  query: URLSearchParams
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: the shapes of requests are wrangler's.
  json: any
  form: FormData | null
}

export type Reply =
  | { status: number; result: unknown; more?: object }
  | { status: number; code: number; message: string }

/** By method and path, whose parameters are passed in order. undefined: 404. */
export type Routes = Record<string, (call: Call, parameters: string[]) => Reply | undefined | Promise<Reply>>

export const ok = (result: unknown, more: object = {}): Reply => ({ status: 200, result, more })
