/** The response of an endpoint that speaks a protocol of its own. */
export interface ProtocolResponse {
  readonly status: number;
  /** JSON text, or nothing. */
  readonly body: string;
}
