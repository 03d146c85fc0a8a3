/** The HTTP response of a call that succeeded. */
export interface ResponseDetails {
  /** The HTTP status: 200, or 404 if `get` returns null. */
  readonly status: number;
  /** `Service-Request-Id` of the response; include it in a support request. */
  readonly requestId: string | undefined;
  /**
   * The response headers. For a cross-origin call in a browser, only the headers that the service
   * exposes.
   */
  readonly headers: Headers;
}

/** The data of a call, with its HTTP response. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseDetails;
}

/** The promise of a call's data, which can also return the HTTP response. */
export interface ResponsePromise<T> extends Promise<T> {
  /** Returns a promise of the data and the response. Does not send another request. */
  withResponse(): Promise<WithResponse<T>>;
}

/** Creates a `ResponsePromise` from a promise that resolves to both the data and the response. */
export function responsePromise<T>(call: Promise<WithResponse<T>>): ResponsePromise<T> {
  const data = call.then((result) => result.data);
  return Object.assign(data, {
    withResponse(): Promise<WithResponse<T>> {
      // The caller handles a failure of the promise returned here, so `data` must not cause an
      // unhandled rejection as well.
      data.catch(() => undefined);
      return call.then((result) => result);
    },
  });
}
