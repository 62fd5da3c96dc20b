import aiSdk from './ai-sdk.md'
import betterWords from './better-words.md'
import costs from './costs.md'
import courseCaptions from './course-captions.md'
import errors from './errors.md'
import files from './files.md'
import jobs from './jobs.md'
import keys from './keys.md'
import limits from './limits.md'
import playlistToBucket from './playlist-to-bucket.md'
import podcastToSrt from './podcast-to-srt.md'
import quickstart from './quickstart.md'
import webhooks from './webhooks.md'

export interface Guide {
  id: string
  part: 'Guides' | 'Recipes'
  markdown: string
}

const inPart = (part: Guide['part'], files: Record<string, string>): Guide[] =>
  Object.entries(files).map(([id, markdown]) => ({ id, part, markdown }))

const basics = { quickstart, 'better-words': betterWords, files, jobs, webhooks, errors, costs, limits, keys }
const recipes = { 'podcast-to-srt': podcastToSrt, 'playlist-to-bucket': playlistToBucket }

export const guides = [
  ...inPart('Guides', { ...basics, 'ai-sdk': aiSdk }),
  ...inPart('Recipes', { ...recipes, 'course-captions': courseCaptions }),
]

export const guidesOf = (part: Guide['part']): Guide[] => guides.filter((guide) => guide.part === part)

export const titleOf = ({ markdown }: Guide): string => markdown.split('\n', 1)[0]?.replace('# ', '') ?? ''
