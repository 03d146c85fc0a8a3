import { BadRequestException, ValidationPipe, type ArgumentMetadata } from '@nestjs/common';

/**
 * Validates the DTOs of controllers without converting values: text remains text. A body that is
 * nested too deeply for class-transformer is rejected with 400.
 */
export class InputValidationPipe extends ValidationPipe {
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      const isTooDeep = error instanceof RangeError && /call stack/.test(error.message);
      throw isTooDeep ? new BadRequestException() : error;
    }
  }
}
