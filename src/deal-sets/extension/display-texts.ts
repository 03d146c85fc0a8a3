import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { ENGLISH } from '../domain/english-texts.js';
import type { Texts } from '../domain/texts.js';

/**
 * Chooses the display texts of a response. The default is `EnglishDisplayTexts`. The service itself
 * negotiates no language: `Accept-Language` changes no response.
 *
 * Guarantees of the service: `forCaller` is called once for each list and each deal set that is
 * read, whether by REST, by MCP or by `DealSetsApi`.
 * When it fails: the response is 500 `internal`, and the log names this port. A call also fails if
 * it takes more than a second.
 */
export abstract class DisplayTexts {
  /**
   * Returns the texts for a caller, for example in the language of the buyer.
   *
   * @param signal aborted when the call is abandoned.
   */
  abstract forCaller(principal: Principal, signal: AbortSignal): Promise<Texts> | Texts;
}

/** The default: `EnglishTexts` for every caller. */
@Injectable()
export class EnglishDisplayTexts extends DisplayTexts {
  override forCaller(): Texts {
    return ENGLISH;
  }
}
