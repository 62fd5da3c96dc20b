import { inChunks, streamOf } from '../../media/chunks.ts'
import { segmentsOf } from '../../media/transcripts.ts'
import type { Rendering } from '../one-call/respond-when-ended.ts'
import { errorBody, failedJobError } from './errors.ts'
import { type SpokenSegment, spoken, withDeltas } from './response-body.ts'
import type { Asked } from './transcription-form.ts'

/** A response with `stream=true`: server-sent events in OpenAI's shapes. */
export const eventsRendering = (
  asked: Asked,
): Pick<Rendering, 'headers' | 'begins' | 'waits' | 'waitsPerSilence' | 'body' | 'failedLate'> => ({
  headers: { 'Content-Type': 'text/event-stream; charset=utf-8' },
  begins: '',
  waits: ': waiting\n\n',
  waitsPerSilence: 4,
  body: async (transcript) => {
    const opened = await transcript.open(false)
    return opened && streamOf(inChunks(events(spoken(segmentsOf(opened)), asked)))
  },
  failedLate: (job, reason) => `event: error\ndata: ${JSON.stringify(errorBody(failedJobError(job, reason)))}\n\n`,
})

/** OpenAI's packages read the type from the data, so that the events need no name. */
const eventOf = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

async function* events(segments: AsyncIterable<SpokenSegment>, { format }: Asked): AsyncGenerator<string> {
  const bySpeaker = format === 'diarized_json'
  let text = ''
  for await (const { segment, delta } of withDeltas(segments)) {
    text += delta
    yield eventOf({ type: 'transcript.text.delta', delta, ...(bySpeaker && { segment_id: segment.id }) })
    if (bySpeaker) yield eventOf(segment)
  }
  yield eventOf({ type: 'transcript.text.done', text })
}
