import type { Dispatcher } from 'undici'

export type Count = (bytes: number) => void

/** Counts the bytes of bodies as they come off the wire, before anything is decoded. */
export const metered =
  (count: Count): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
      onRequestUpgrade: (controller, status, headers, socket) =>
        handler.onRequestUpgrade?.(controller, status, headers, socket),
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) => {
        count(chunk.length)
        handler.onResponseData?.(controller, chunk)
      },
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
      onResponseStarted: () => handler.onResponseStarted?.(),
    })
