import {
  BadRequestException,
  createParamDecorator,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { isTooDeep } from '../http/json-depth.js';

/** A JSON-RPC message whose members nobody has checked. */
export type UncheckedMessage = Readonly<Record<string, unknown>>;

/** The member of a request that both frameworks share. */
interface RequestWithBody {
  readonly body?: unknown;
}

/**
 * Rejects a body that is not one JSON object, such as a batch, and one that is nested too deeply,
 * with 400. It precedes the pipes, including those of a host application, which may process every
 * value of a body.
 */
@Injectable()
export class McpMessageGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const { body } = execution.switchToHttp().getRequest<RequestWithBody>();
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    if (!isObject || isTooDeep(body)) throw new BadRequestException();
    return true;
  }
}

/**
 * Parameter decorator: the message of a POST. It is not a DTO, because the protocol's library
 * checks the message, and converting it first would cost more than the call.
 */
export const Message = createParamDecorator(
  (_data: unknown, execution) =>
    execution.switchToHttp().getRequest<RequestWithBody>().body as UncheckedMessage,
);
