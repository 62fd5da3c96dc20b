import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createReportReader, type FfprobeReport } from '../../../../../container/media/ffprobe-report.ts'
import { runs } from '../../../../support/runs.ts'
import { type Budget, growsLinearly, once, type Part, partsOf, repeated, textOf, within } from '../../hostile-input.ts'

const read = (text: string): FfprobeReport => {
  const reader = createReportReader()
  for (const line of text.split('\n')) reader.line(line)
  return reader.report()
}

const fragments = [
  ...['stream|', 'format|', 'packet|', 'chapter|', 'tag:title=', '\\', '\\|', '\\n', 'side_data|', '\n', '|', '='],
  ...['__proto__', 'constructor', '__defineGetter__', '__defineGetter__|\n', 'index=#n', 'codec_type=video'],
  ...['codec_type=audio', 'codec_type=subtitle', 'codec_name=h264', 'codec_name=N/A', 'width=1', 'duration='],
  ...['stream_index=#n', 'pts_time=', 'duration_time=', 'start_time=', 'disposition:attached_pic=1'],
  ...['tag:language=en', '1', '-1', 'N/A', '1e999'],
]
const stream = 'stream|index=#n|codec_type=video|codec_name=h264|duration=1\n'
const suspects: Record<string, Part[]> = {
  streams: [repeated(stream)],
  'the same stream': [repeated('stream|index=0|codec_type=audio\n')],
  'packets of one stream': [once(stream), repeated('packet|stream_index=0|pts_time=1\n')],
  'packets of unknown streams': [repeated('packet|stream_index=#n|pts_time=1\n')],
  formats: [repeated('format|format_name=mp4\n')],
  'members of one line': [once('stream|'), repeated('a#n=1|'), once('\n')],
  'separators of one line': [once('stream'), repeated('|')],
  'a long value': [once('stream|tag:language='), repeated('a'), once('\n')],
  chapters: [repeated('chapter|start_time=1|end_time=2|tag:title=One\n')],
  'escapes of one line': [once('chapter|tag:title='), repeated('\\|'), once('\n')],
  'backslashes of one line': [once('chapter|tag:title='), repeated('\\'), once('\n')],
  'escaped fields of one line': [once('chapter|\\n'), repeated('|a'), once('\n')],
  'streams of text': [repeated('stream|index=#n|codec_type=subtitle|codec_name=ass|tag:language=en\n')],
}

test.each(Object.entries(suspects))('%s: twice as many take twice as long', (_title, parts) =>
  growsLinearly(parts, read),
)

/** Measured: at most 5 operations for each character. */
const budget: Budget = { each: 15, fixed: 500 }

test('any output of ffprobe is read within the budget, and its numbers are finite', () => {
  fc.assert(
    fc.property(textOf(fragments), (text) => {
      const report = within(budget, text.length, () => read(text))
      for (const number of [report?.start, report?.duration ?? 0, report?.lastPacketEnd ?? 0]) {
        expect(number).toSatisfy(Number.isFinite)
      }
    }),
    runs(100),
  )
})

test('any output of parts that repeat takes linear time', () => {
  fc.assert(
    fc.property(partsOf(fragments), (parts) => growsLinearly(parts, read)),
    runs(15),
  )
})
