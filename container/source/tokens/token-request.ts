import { z } from 'zod'

/**
 * What a token is bound to, as bgutil's provider takes it since version 1. Other fields of that API make the provider
 * connect to a proxy, accept any certificate, or run a script (`challenge`). A fork that a page has taken over could use
 * them to reach the operator's network, so none of them is passed on.
 */
const TokenRequest = z.object({
  content_binding: z.string().min(1).max(4_096),
  bypass_cache: z.boolean().default(false),
  innertube_context: z.record(z.string(), z.unknown()),
})

/** Called in the reader process. */
export const readTokenRequest = (json: Uint8Array): string =>
  JSON.stringify(TokenRequest.parse(JSON.parse(new TextDecoder().decode(json))))
