import type { CloudflareApi } from './api.ts'

/** The containers of a Worker, as Cloudflare knows them. */
export interface ContainerApplication {
  id: string
  name: string
  configuration: { image: string }
  /** While a rollout runs: what it replaces the instances with. */
  scheduling_hint?: { target: { configuration: { image: string } } }
}

/** The image that all instances have, or will have when the rollout has ended. */
export const latestImage = ({ configuration, scheduling_hint }: ContainerApplication): string =>
  scheduling_hint?.target.configuration.image ?? configuration.image

/** In Cloudflare's registry. `name` has a tag. */
export const imageReference = ({ accountId }: CloudflareApi, name: string): string =>
  `registry.cloudflare.com/${accountId}/${name}`

export const findApplication = async (api: CloudflareApi, name: string): Promise<ContainerApplication | null> => {
  const applications = await api.get<ContainerApplication[]>('/containers/applications')
  return applications?.find((application) => application.name === name) ?? null
}

/** Replaces the image of all instances, with the two calls that `wrangler deploy` makes. Running ones drain first. */
export const rollOutImage = async (
  api: CloudflareApi,
  application: ContainerApplication,
  image: string,
): Promise<void> => {
  const configuration = { ...application.configuration, image }
  await api.send('PATCH', `/containers/applications/${application.id}`, { configuration })
  await api.send('POST', `/containers/applications/${application.id}/rollouts`, {
    description: 'Rollback',
    strategy: 'rolling',
    target_configuration: configuration,
    step_percentage: 100,
    kind: 'full_auto',
  })
}
