import { describe, expect, test } from 'vitest'
import { callsTo } from './calls.ts'
import { installSpeech } from './installed-speech.ts'

/** The steps from what the models say to turns, on made voices. */
installSpeech()

const call = callsTo('container/speech/speakers')

const FRAME_SECONDS = 270 / 16_000
const frames = (seconds: number) => Math.round(seconds / FRAME_SECONDS)

/** Rows of frames: each entry is for how many seconds which of three chains speak. */
const speaking = (...stretches: [seconds: number, ...chains: number[]][]) => ({
  array: stretches.flatMap(([seconds, ...chains]) =>
    Array.from({ length: frames(seconds) }, () => [0, 1, 2].map((chain) => chains.includes(chain))),
  ),
})

interface FoundPiece {
  chain: number
  start: number
  end: number
  alone: [number, number][]
}

const cut = async (...stretches: [number, ...number[]][]): Promise<FoundPiece[]> =>
  call('pieces.cut_pieces', speaking(...stretches))

describe('a recording is cut into pieces', () => {
  test('at pauses of more than 0.2 s, and not at shorter ones', async () => {
    expect(await cut([1, 0], [0.15], [1, 0], [0.4], [1, 0])).toHaveLength(2)
  })

  test('evenly, none longer than 2.5 s', async () => {
    const pieces = await cut([7, 1])
    expect(pieces.map(({ start, end }) => end - start)).toEqual([1, 1, 1].map(() => expect.closeTo(7 / 3, 1)))
  })

  test('where another person begins to speak in a short pause', async () => {
    const pieces = await cut([1, 0], [0.15, 1], [1, 0])
    expect(pieces.map(({ chain }) => chain)).toEqual([0, 1, 0])
  })

  test('whose voice is taken only where nobody else speaks', async () => {
    const [first, second] = await cut([1, 0], [0.5, 0, 1], [0.5, 1])
    const seconds = (piece?: FoundPiece) =>
      (piece?.alone ?? []).reduce((sum, [start, end]) => sum + (end - start) / 16_000, 0)
    expect(seconds(first)).toBeCloseTo(1, 1)
    expect(seconds(second)).toBeCloseTo(0.5, 1)
  })

  test('unless nobody speaks', async () => {
    expect(await cut([20])).toEqual([])
  })
})

test('a window names its people in the order of the window before it', async () => {
  const before = speaking([1, 0], [1, 1]).array
  const after = before.map(([one, other, third]) => [third, one, other])
  expect(await call('segmentation.best_order', { array: before }, { array: after })).toEqual([1, 2, 0])
})

/** A voice near one of the axes: each axis is a person. */
const voice = (person: number, apart = 0): number[] =>
  Array.from({ length: 8 }, (_, axis) => (axis === person ? 1 : axis === 7 ? apart : 0))

interface Spoken {
  seconds: number
  voice: number[] | null
  chain?: number
}

/** Pieces one after the other, with pauses of a second. */
const pieces = (...spoken: Spoken[]) => {
  let at = 0
  return spoken.map(({ seconds, voice: heard, chain = 0 }) => {
    const start = at
    at += seconds + 1
    return { piece: { chain, start, end: start + seconds, voice: heard } }
  })
}

const peopleFound = async (spoken: Spoken[], threshold = 0.5, min: number | null = null, max: number | null = null) =>
  (await call('clusters.find_centres', pieces(...spoken), threshold, min, max)) as number[][]

const times = (count: number, spoken: Spoken): Spoken[] => Array.from({ length: count }, () => spoken)

describe('clustering the voices of pieces', () => {
  const one = times(4, { seconds: 2.5, voice: voice(0) })
  const other = times(3, { seconds: 2.5, voice: voice(1) })
  const brief = times(1, { seconds: 2.5, voice: voice(2) })

  test('finds one person for each voice, the one who speaks most first', async () => {
    const found = await peopleFound([...other, ...one])
    expect(found.map((centre) => centre.indexOf(Math.max(...centre)))).toEqual([0, 1])
  })

  test('ignores a voice of less than three seconds', async () => {
    expect(await peopleFound([...one, ...other, ...brief])).toHaveLength(2)
  })

  test('keeps such a voice if the minimum number of people requires it', async () => {
    expect(await peopleFound([...one, ...other, ...brief], 0.5, 3)).toHaveLength(3)
  })

  test('keeps such a voice if it is the only one', async () => {
    expect(await peopleFound(brief)).toHaveLength(1)
    expect(await peopleFound(times(2, { seconds: 0.5, voice: voice(0) }))).toHaveLength(1)
  })

  test('separates voices that were taken for one if there must be two', async () => {
    const like = [...one, ...times(4, { seconds: 2.5, voice: voice(0, 0.9) })]
    expect(await peopleFound(like)).toHaveLength(1)
    expect(await peopleFound(like, 0.5, 2)).toHaveLength(2)
  })

  test('merges the two most similar voices if there are more people than allowed', async () => {
    const three = [...one, ...other, ...times(2, { seconds: 2.5, voice: [0, 0.5, 1, 0, 0, 0, 0, 0] })]
    expect(await peopleFound(three)).toHaveLength(3)
    const found = await peopleFound(three, 0.5, null, 2)
    expect(found.map((centre) => centre.indexOf(Math.max(...centre)))).toEqual([1, 0])
  })

  test('does not take a mixture of two voices for a third person', async () => {
    const mixture = times(2, { seconds: 2.5, voice: [1, 1, 0, 0, 0, 0, 0, 0.8] })
    expect(await peopleFound([...one, ...other, ...mixture], 0.8)).toHaveLength(2)
  })

  test('finds the same people when the items do not fit into one block', async () => {
    const many = Array.from({ length: 1_000 }, (_, index) => [
      { seconds: 2.5, voice: voice(index % 4, 0.3 + (index % 7) / 20) },
      { seconds: 2.5, voice: voice((index + 1) % 4, 0.1) },
    ]).flat()
    expect(await peopleFound(many)).toHaveLength(4)
  })

  test('finds nobody without any voice', async () => {
    expect(await peopleFound([{ seconds: 0.2, voice: null }])).toEqual([])
  })
})

test('neighbours of a chain that sound alike are joined up to six seconds', async () => {
  const next = (start: number, person: number, chain = 0) => ({
    piece: { chain, start, end: start + 2.5, voice: voice(person) },
  })
  const items: { seconds: number }[] = await call('clusters.join_neighbours', [
    ...[next(0, 0), next(2.5, 0), next(5, 0)],
    // Another voice, another chain, and a pause.
    ...[next(7.5, 1), next(7.6, 1, 1), next(12, 1)],
  ])
  expect(items.map(({ seconds }) => seconds)).toEqual([5, 2.5, 2.5, 2.5, 2.5])
})

describe('labels', () => {
  const centres = { array: [voice(0), voice(1)] }
  const labels = (...spoken: Spoken[]): Promise<(number | null)[]> =>
    call('labels.label_pieces', pieces(...spoken), centres)

  test('give a piece the person whose voice is most similar', async () => {
    const mixed = [1, 2, 0, 0, 0, 0, 0, 0]
    expect(await labels({ seconds: 1, voice: mixed }, { seconds: 1, voice: voice(0, 2) })).toEqual([1, 0])
  })

  test('give a short piece the person who speaks nearby in its chain', async () => {
    const unclear = [1, 1.1, 0, 0, 0, 0, 0, 0]
    const before = { seconds: 2, voice: voice(0), chain: 1 }
    expect(await labels(before, { seconds: 0.5, voice: unclear, chain: 1 })).toEqual([0, 0])
    expect(await labels(before, { seconds: 0.5, voice: unclear, chain: 2 })).toEqual([0, 1])
    expect(await labels(before, { seconds: 0.5, voice: voice(1), chain: 1 })).toEqual([0, 1])
  })

  test('give a piece without a voice the person nearby, or nobody', async () => {
    const before = { seconds: 2, voice: voice(1), chain: 1 }
    expect(await labels(before, { seconds: 0.2, voice: null, chain: 1 })).toEqual([1, 1])
    expect(await labels(before, { seconds: 0.2, voice: null, chain: 2 })).toEqual([1, null])
  })
})

describe('turns', () => {
  const turns = (spoken: [start: number, end: number, label: number | null][]) =>
    call(
      'labels.turns_of',
      spoken.map(([start, end]) => ({ piece: { start, end } })),
      spoken.map(([, , label]) => label),
    )

  test('join pieces of one person, and people are named in the order in which they appear', async () => {
    expect(
      await turns([
        [0.5, 2, 7],
        [2.1, 4, 7],
        [3.5, 5, 2],
        [6, 7, 7],
        [7, 7.1, null],
      ]),
    ).toEqual([
      [0.5, 4, 'A'],
      [3.5, 5, 'B'],
      [6, 7, 'A'],
    ])
  })

  test.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [51, 'AZ'],
    [52, 'BA'],
    [701, 'ZZ'],
    [702, 'AAA'],
  ])('person %i is %s', async (index, name) => {
    expect(await call('labels.name_of', index)).toBe(name)
  })
})
