import type { CloudflareApi } from './api.ts'

export interface ContainerApplication {
  id: string
  name: string
  configuration: { image: string }
  /** A rollout that runs replaces the instances with it. */
  scheduling_hint?: { target: { configuration: { image: string } } }
}

export const latestImage = ({ configuration, scheduling_hint }: ContainerApplication): string =>
  scheduling_hint?.target.configuration.image ?? configuration.image

export const imageReference = ({ accountId }: CloudflareApi, name: string): string =>
  `registry.cloudflare.com/${accountId}/${name}`

export const findApplication = async (api: CloudflareApi, name: string): Promise<ContainerApplication | null> => {
  const applications = await api.get<ContainerApplication[]>('/containers/applications')
  return applications?.find((application) => application.name === name) ?? null
}

/** The two calls of `wrangler deploy`. If the second is refused, the first is taken back. */
export const rollOutImage = async (
  api: CloudflareApi,
  { id, configuration: before }: ContainerApplication,
  image: string,
): Promise<void> => {
  const path = `/containers/applications/${id}`
  const configuration = { ...before, image }
  await api.send('PATCH', path, { configuration })
  const rollout = {
    description: 'Rollback',
    strategy: 'rolling',
    target_configuration: configuration,
    step_percentage: 100,
    kind: 'full_auto',
  }
  await api.send('POST', `${path}/rollouts`, rollout).catch(async (error) => {
    await api.send('PATCH', path, { configuration: before })
    throw error
  })
}
