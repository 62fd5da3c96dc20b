import type { FollowRequest, FollowResponse } from '../../domain/protocol/protocol.ts'
import { followSource } from '../source/follow/follow-source.ts'
import type { SharedTools } from '../source/routes/until-served.ts'
import { lookUp, MAX_LIST_MS } from './metadata.ts'

/** Who asks tries again later. So a source that wants to be left alone for long does not keep a place. */
const retryPolicy = { attempts: 2 }

/** What a watch follows. */
export const followList = async (
  { timeoutMs, ...asked }: FollowRequest,
  tools: SharedTools,
  signal: AbortSignal,
): Promise<FollowResponse> => {
  const answer = await lookUp(
    asked.feedUrl ?? asked.url,
    Math.min(timeoutMs, MAX_LIST_MS),
    tools,
    signal,
    async (workspace) => {
      const { list, withheld } = await followSource(asked, { ...workspace, retryPolicy })
      return { answer: { status: 'done' as const, ...list }, withheld }
    },
    ({ withheld }) => withheld,
  )
  if (!('answer' in answer)) return answer
  return { ...answer.answer, readBytes: answer.readBytes }
}
