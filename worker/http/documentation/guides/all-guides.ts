import betterWords from './better-words.md'
import costs from './costs.md'
import courseCaptions from './course-captions.md'
import errors from './errors.md'
import files from './files.md'
import findWhatWasSaid from './find-what-was-said.md'
import followAPodcast from './follow-a-podcast.md'
import jobs from './jobs.md'
import keys from './keys.md'
import limits from './limits.md'
import playlistToBucket from './playlist-to-bucket.md'
import podcastToSrt from './podcast-to-srt.md'
import quickstart from './quickstart.md'
import webhooks from './webhooks.md'
import wholeVideo from './whole-video.md'

export interface Guide {
  /** The name of its file. Headings of the page begin with it. */
  id: string
  part: 'Guides' | 'Recipes'
  markdown: string
}

export const guides: Guide[] = [
  { id: 'quickstart', part: 'Guides', markdown: quickstart },
  { id: 'better-words', part: 'Guides', markdown: betterWords },
  { id: 'whole-video', part: 'Guides', markdown: wholeVideo },
  { id: 'files', part: 'Guides', markdown: files },
  { id: 'jobs', part: 'Guides', markdown: jobs },
  { id: 'webhooks', part: 'Guides', markdown: webhooks },
  { id: 'follow-a-podcast', part: 'Guides', markdown: followAPodcast },
  { id: 'find-what-was-said', part: 'Guides', markdown: findWhatWasSaid },
  { id: 'errors', part: 'Guides', markdown: errors },
  { id: 'costs', part: 'Guides', markdown: costs },
  { id: 'limits', part: 'Guides', markdown: limits },
  { id: 'keys', part: 'Guides', markdown: keys },
  { id: 'podcast-to-srt', part: 'Recipes', markdown: podcastToSrt },
  { id: 'playlist-to-bucket', part: 'Recipes', markdown: playlistToBucket },
  { id: 'course-captions', part: 'Recipes', markdown: courseCaptions },
]

export const guidesOf = (part: Guide['part']): Guide[] => guides.filter((guide) => guide.part === part)

export const titleOf = ({ markdown }: Guide): string => markdown.split('\n', 1)[0]?.replace('# ', '') ?? ''
