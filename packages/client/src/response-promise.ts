/** The HTTP response of a call that succeeded. */
export interface ResponseDetails {
  /** HTTP status: 200, or 404 where `get` returns null. */
  readonly status: number;
  /** `Service-Request-Id` of the response; include it in a support request. */
  readonly requestId: string | undefined;
  /** In a browser on another origin, only those that the service exposes. */
  readonly headers: Headers;
}

/** What a call returns, with the response that it came in. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseDetails;
}

/** The promise of a call's data, which can also be asked for the response. */
export interface ResponsePromise<T> extends Promise<T> {
  /** Resolves with the data and the response. It sends no further request. */
  withResponse(): Promise<WithResponse<T>>;
}

/** Creates the promise of the data from the promise of the data and its response. */
export function responsePromise<T>(call: Promise<WithResponse<T>>): ResponsePromise<T> {
  const data = call.then((result) => result.data);
  return Object.assign(data, {
    withResponse(): Promise<WithResponse<T>> {
      // The caller handles the failure of the promise returned here, and not that of `data`.
      data.catch(() => undefined);
      return call.then((result) => result);
    },
  });
}
