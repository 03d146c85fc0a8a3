/** The HTTP response of a call that succeeded. */
export interface ResponseDetails {
  /** HTTP status: 200, or 404 where `get` returns null. */
  readonly status: number;
  /** `Service-Request-Id` of the response; include it in a support request. */
  readonly requestId: string | undefined;
  /** The response headers; in a browser on another origin, only those that the service exposes. */
  readonly headers: Headers;
}

/** The data of a call, with its HTTP response. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseDetails;
}

/** The promise of a call's data, which can also return the HTTP response. */
export interface ResponsePromise<T> extends Promise<T> {
  /** Resolves with the data and the response. It sends no further request. */
  withResponse(): Promise<WithResponse<T>>;
}

/** Creates the promise of the data from the promise of the data and its response. */
export function responsePromise<T>(call: Promise<WithResponse<T>>): ResponsePromise<T> {
  const data = call.then((result) => result.data);
  return Object.assign(data, {
    withResponse(): Promise<WithResponse<T>> {
      // The caller handles a failure on the promise returned here, so `data` must not report it.
      data.catch(() => undefined);
      return call.then((result) => result);
    },
  });
}
