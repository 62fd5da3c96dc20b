import type { ListRequest, ListResponse } from '../../domain/protocol/protocol.ts'
import { listSource } from '../source/list/list-source.ts'
import { type LookupTools, lookUp } from './look-up.ts'

/** A channel's list of 500 items takes five to ten requests to its platform. */
const MAX_TIMEOUT_MS = 120_000

/** The time that a listing has, including its wait for a place. */
export const listTimeout = ({ timeoutMs }: ListRequest): AbortSignal =>
  AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS))

/** Lists a playlist for a batch. */
export const listItems = (
  { url, limit }: ListRequest,
  tools: LookupTools,
  signal: AbortSignal,
): Promise<ListResponse> =>
  lookUp(tools, signal, async ({ egress }) => ({
    status: 'done',
    ...(await listSource(url, limit, egress, tools.extractor, signal)),
  }))
