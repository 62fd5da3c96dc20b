import { sendTurns } from '../batches/turn-work.ts'
import { sendCleanup } from '../jobs/bucket-copies.ts'
import { endLimit, recordEnd, sendStep } from '../jobs/steps.ts'
import { sendWords } from '../search/index-work.ts'
import { sweep } from '../stored-files/retention.ts'
import { expireUpload } from '../uploads/life-of-uploads.ts'
import { sendPolls } from '../watches/polls.ts'
import { tendWatch } from '../watches/watch-batches.ts'
import { sendDelivery } from '../webhooks/attempts-and-retries.ts'
import type { Kinds } from './due.ts'
import type { ListChange, MediaChange } from './due-rows.ts'

/** About an hour. R2 does not always say that an upload is gone, and it removes unfinished ones after seven days itself. */
const MAX_ABORTS = 20

export const kindsOfDue = (historyMs: number): Kinds => ({
  step: { lane: 'steps', run: sendStep },
  limit: { lane: 'acts', run: endLimit },
  record: { lane: 'records', run: recordEnd },
  turns: { lane: 'messages', run: sendTurns },
  polls: { lane: 'messages', run: sendPolls },
  watch: { lane: 'acts', run: async ({ act, rows }, { ref }) => act((now) => tendWatch(rows, ref, now)) },
  upload: { lane: 'acts', run: async ({ act, rows }, { ref }) => act((now) => expireUpload(rows, ref, now)) },
  delivery: { lane: 'messages', run: sendDelivery },
  words: { lane: 'words', run: sendWords },
  cleanup: { lane: 'messages', run: sendCleanup },
  sweep: { lane: 'acts', run: async ({ act, rows }) => act((now) => sweep(rows, historyMs, now)) },
  media: {
    lane: 'media',
    run: async ({ targets }, { body }, attempt) => {
      const change = JSON.parse(`${body}`) as MediaChange
      if (change.kind === 'withhold') await targets.withholdMedia(change.key)
      else await targets.discardMedia(change.objects, attempt >= MAX_ABORTS)
    },
  },
  lists: {
    lane: 'lists',
    run: async ({ targets, rows: { account } }, { body }) => {
      const change = JSON.parse(`${body}`) as ListChange
      const { id, name, isSuspended, totals, origins } = account
      if (change.kind === 'account') await targets.recordAccount({ id, name, isSuspended, totals, origins })
      else await targets.removeJobs(id, change.before, change.kept ?? [])
    },
  },
})
