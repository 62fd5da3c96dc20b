import { html } from 'hono/html'
import { type Html, pageBeside } from './frame.ts'
import aiSdk from './guides/ai-sdk.md'
import { type Site, withFacts } from './guides/facts.ts'
import { renderGuide } from './guides/render.ts'
import whichModel from './guides/which-model.md'
import worksWith from './works-with.md'

/** Guides that few readers of /docs need: each is a page of its own, and Markdown. */
export interface Article {
  id: string
  title: string
  /** In the list of contents. */
  shortTitle: string
  description: string
  /** What it is found by in the search, beside its titles. */
  keywords: string
  markdown: string
}

export const articles: Article[] = [
  {
    id: 'which-model',
    title: 'Which model',
    shortTitle: 'Which model',
    description: 'Models of speech recognition: what each is good at, and what was measured.',
    keywords: 'models weights Whisper Moonshine Parakeet Canary Kaldi languages speed accuracy silence',
    markdown: whichModel,
  },
  {
    id: 'ai-sdk',
    title: 'AI SDK',
    shortTitle: 'AI SDK',
    description: 'A provider for the AI SDK, in the package haul-client.',
    keywords: 'transcribe providerOptions Vercel',
    markdown: aiSdk,
  },
  {
    // Tests run these programs against Haul: test/clients/clients.ts.
    id: 'works-with',
    title: 'What Haul works with',
    shortTitle: 'Works with',
    description: 'Packages and programs that work with Haul as they are, and what to set in them.',
    keywords: 'compatible clients OpenAI MCP webhooks Open WebUI LiteLLM LangChain n8n',
    markdown: worksWith,
  },
]

export const articleText = ({ markdown }: Article, site: Site): string =>
  withFacts(markdown.replaceAll('{{base-url-with-key}}', site.baseUrl.replace('://', '://haul:haul_…@')), site)

export const articlePage = (article: Article, site: Site): Html =>
  pageBeside({
    title: article.title,
    description: article.description,
    styles: ['guides'],
    script: null,
    markdown: `${article.id}.md`,
    content: html`
  <main class="single" id="documentation" tabindex="-1">
    <h1>Documentation</h1>
    <article class="guide" aria-labelledby="${article.id}">${renderGuide(article.id, articleText(article, site))}</article>
  </main>`,
  })
