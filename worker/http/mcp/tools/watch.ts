import { z } from 'zod'
import type { Result } from '../../../../domain/codes/refusals.ts'
import { MAX_JOB_DOLLARS } from '../../../../domain/limits.ts'
import { askedAt, tableAt } from '../../../../domain/options/option.ts'
import { watchOptions } from '../../../../domain/options/watch-options.ts'
import { sha256Hex } from '../../../../domain/secrets/api-keys.ts'
import { schemasOf } from '../../jobs/option-schemas.ts'
import { HttpUrl } from '../../schemas.ts'
import type { Answer } from '../answer.ts'
import { refuseArguments, refusedAnswer } from '../problems.ts'
import { type ToolCall, tool } from '../tool.ts'
import { earlierAnswer, listAnswer, startedAnswer, WatchOutput, type WatchView, watchAnswer } from '../watch-answer.ts'
import { language } from './jobs.ts'

const actions = ['show', 'pause', 'resume', 'drop', 'poll', 'remove'] as const

const filterFields = {
  title: z.array(z.string()).min(1).optional().describe('Only items with one of these strings in the title.'),
  not_title: z.array(z.string()).min(1).optional().describe('Only items with none of these strings in the title.'),
  min_seconds: z.number().int().min(0).optional().describe('Only items that are as long, or longer.'),
  max_seconds: z.number().int().min(0).optional().describe('Only items that are as long, or shorter.'),
}

const Input = z.strictObject({
  url: HttpUrl.optional().describe('To start a watch: a feed, a channel, a playlist, or a page with several videos.'),
  watch_id: z.string().min(1).optional().describe('To show or change a watch, instead of url.'),
  action: z.enum(actions).optional().meta({
    description:
      'With watch_id. show (the default): its newest items. pause, resume: resume also takes what waits. drop: what waits is never taken. poll: read the list now. remove: jobs go on.',
  }),
  make: z.enum(['transcript', 'video', 'audio', 'nothing']).default('transcript').meta({
    description: 'What is made of each new item. nothing: items are only listed, for free.',
  }),
  language,
  max_cost_dollars: z.number().positive().max(MAX_JOB_DOLLARS).default(1).meta({
    description: 'The most that one item may cost. What would cost more fails, and costs nothing.',
  }),
  ...schemasOf(tableAt(watchOptions, 'mcp')),
  ...filterFields,
})
type Args = z.output<typeof Input>

export const watch = tool({
  name: 'watch',
  title: 'Watch a channel or feed',
  description:
    'Follow a feed, a channel or a playlist: each item that is new from now on becomes a transcript or a file, at the prices of transcribe and import_media. With url it starts a watch, or shows the one that follows this url already. It goes on and costs money until it is paused or removed, so ask the user first. With watch_id it shows a watch with its newest items and their job_id, or changes it as action says. With neither it lists the watches. Only the items cost something. For what is there already, call look.',
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: Input,
  output: WatchOutput,
  run: async (args, call) => {
    const { url, watch_id: watchId, action } = args
    if (url !== undefined && watchId !== undefined) return refuseArguments('Give either url or watch_id, and not both.')
    if (watchId !== undefined) return act(call, watchId, action ?? 'show')
    if (action !== undefined) return refuseArguments('action needs watch_id.')
    if (url !== undefined) return start(call, url, args)
    const listed = await listWatches(call)
    return listed.ok ? listAnswer(listed.value) : refusedAnswer(listed.refusal)
  },
})

const ITEMS = 20

const act = async ({ api }: ToolCall, watchId: string, action: (typeof actions)[number]): Promise<Answer> => {
  const path = `/watches/${encodeURIComponent(watchId)}`
  const requests = {
    show: () => api('GET', path),
    pause: () => api('PATCH', path, { body: { paused: true } }),
    resume: () => api('PATCH', path, { body: { paused: false } }),
    drop: () => api('PATCH', path, { body: { waiting: 'drop' } }),
    poll: () => api('POST', `${path}/poll`),
    remove: () => api('DELETE', path),
  }
  const done = await requests[action]()
  if (!done.ok) return refusedAnswer(done.refusal)
  if (action === 'remove') {
    return {
      lines: [`Watch ${watchId} is removed. Its jobs go on, and what they have made stays.`],
      data: { watch_id: watchId },
    }
  }
  const listed = await api('GET', `${path}/items?limit=${ITEMS}`)
  return listed.ok ? watchAnswer(done.value, listed.value.items) : refusedAnswer(listed.refusal)
}

const MAX_PAGE = 100

/** More than an account has, unless its operator allows it. */
const listWatches = async ({ api }: ToolCall): Promise<Result<WatchView[]>> => {
  const listed = await api('GET', `/watches?limit=${MAX_PAGE}`)
  return listed.ok ? { ok: true, value: listed.value.watches } : listed
}

/** An agent that forgets its watch would pay twice for each item, so there is one for each URL. */
const start = async (call: ToolCall, url: string, args: Args): Promise<Answer> => {
  if (args.language !== undefined && args.make !== 'transcript') {
    return refuseArguments('language is only possible with make "transcript".')
  }
  const listed = await listWatches(call)
  if (!listed.ok) return refusedAnswer(listed.refusal)
  const earlier = listed.value.find((each) => each.url === url)
  if (earlier) return earlierAnswer(earlier)
  const body = requestOf(url, args)
  const idempotencyKey = `mcp-${await sha256Hex(JSON.stringify(['/watches', body]))}`
  const started = await call.api('POST', '/watches', { body, idempotencyKey })
  if (!started.ok) return refusedAnswer(started.refusal)
  const read = await call.api('GET', `/watches/${started.value.watchId}`)
  // The key is that of a watch which was removed within the day.
  const isGone = !read.ok && read.refusal.code === 'NOT_FOUND'
  const again = isGone ? await call.api('POST', '/watches', { body }) : started
  return again.ok ? startedAnswer(again.value, url) : refusedAnswer(again.refusal)
}

const requestOf = (url: string, args: Args): object => {
  const { title, not_title: notTitle, min_seconds: minSeconds, max_seconds: maxSeconds } = args
  return {
    url,
    ...askedAt(watchOptions, 'mcp', args),
    filter: { title, notTitle, minSeconds, maxSeconds },
    ...jobsOf(args),
  }
}

const jobsOf = ({ make, language, max_cost_dollars: maxCostDollars }: Args): object => {
  if (make === 'nothing') return {}
  if (make === 'transcript') return { transcribe: { mode: 'auto', language, maxCostDollars } }
  return { import: { includeVideo: make === 'video', maxCostDollars } }
}
