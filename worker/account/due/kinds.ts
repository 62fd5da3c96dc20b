import { forgetKey } from '../entry/job-keys.ts'
import { sendCleanup } from '../jobs/bucket-copies.ts'
import { recordLater } from '../jobs/records.ts'
import { expireUpload } from '../uploads/life-of-uploads.ts'
import { sendDelivery } from '../webhooks/attempts-and-retries.ts'
import { type Again, type Due, type DueContext, type Lane, never, widths } from './due.ts'
import {
  type DueKind,
  type DueRow,
  dueRows,
  endRow,
  type ListChange,
  type MediaChange,
  postponeRow,
} from './due-rows.ts'

interface Kind {
  lane: Lane
  /** As `run` of Due. */
  run(context: DueContext, row: DueRow, attempt: number): Promise<Again>
}

/** About an hour. R2 does not always say that an upload is gone, and it removes unfinished ones after seven days itself. */
const MAX_ABORTS = 20

/** What is done with a row of the table `due`, when its time has come. */
const kinds: Record<DueKind, Kind> = {
  forget: {
    lane: 'acts',
    run: async ({ act, rows }, { ref }) => act(() => forgetKey(rows.sql, ref)),
  },
  upload: {
    lane: 'acts',
    run: async ({ act, rows }, { ref }) => act((now) => expireUpload(rows, ref, now)),
  },
  delivery: { lane: 'messages', run: (context, { ref }) => sendDelivery(context, ref) },
  cleanup: { lane: 'messages', run: (context, { ref }) => sendCleanup(context, ref) },
  record: { lane: 'records', run: (context, { ref }) => recordLater(context, ref, `record ${ref}`) },
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
}

const lanes = Object.keys(widths) as Lane[]
const kindsIn = Object.fromEntries(
  lanes.map((lane) => [lane, (Object.keys(kinds) as DueKind[]).filter((kind) => kinds[kind].lane === lane)]),
) as Record<Lane, DueKind[]>

const BATCH = 100

/** The rows of a lane whose time has come. */
export const dueInTable = (context: DueContext, lane: Lane, now: number): Due[] => {
  const { sql } = context.rows
  return dueRows(sql, kindsIn[lane], now, BATCH).map((row) => ({
    key: `${row.kind} ${row.ref}`,
    at: row.at,
    lane,
    failures: row.failures,
    run: (attempt) => kinds[row.kind].run(context, row, attempt),
    keep: (nextAt, failures) => {
      if (nextAt === never) endRow(sql, row)
      else postponeRow(sql, row, nextAt, failures)
    },
  }))
}
