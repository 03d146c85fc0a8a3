import { Controller, Delete, Get, HttpCode, Module, StreamableFile } from '@nestjs/common';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { CurrentPrincipal, RequireScope, type Principal } from '@deal-sets/service';
import { Readable } from 'node:stream';
import { MoreThan, type Repository } from 'typeorm';
import { WithoutAccount } from './account.js';
import { Favorite } from './favorites.js';

const PAGE_SIZE = 500;

/** Encodes the values as a line of a CSV file (RFC 4180). */
function csvLine(values: readonly string[]): string {
  return `${values.map((value) => `"${value.replaceAll('"', '""')}"`).join(',')}\r\n`;
}

/** Routes whose responses are not JSON objects: a file, and no body at all. */
@Controller()
@WithoutAccount()
class FavoritesExportController {
  constructor(@InjectRepository(Favorite) private readonly favorites: Repository<Favorite>) {}

  /** Sends a file, which is not redacted. It contains the remarks, so no assistant gets it. */
  @Get('favorites.csv')
  @RequireScope('offers:read', { principals: ['session'] })
  download(@CurrentPrincipal() { buyerId }: Principal): StreamableFile {
    return new StreamableFile(Readable.from(this.lines(buyerId)), {
      type: 'text/csv; charset=utf-8',
      disposition: 'attachment; filename="favorites.csv"',
    });
  }

  /** Deletes all favorites of the buyer. The response is 204. */
  @Delete('favorites')
  @RequireScope('favorites:write')
  @HttpCode(204)
  async remove(@CurrentPrincipal() { buyerId }: Principal): Promise<void> {
    await this.favorites.delete({ buyerId });
  }

  /** Reads the favorites in pages, so that a long file does not need much memory. */
  private async *lines(buyerId: string): AsyncGenerator<string> {
    yield csvLine(['car', 'remark']);
    let page: Favorite[] = [];
    do {
      page = await this.favorites.find({
        where: { buyerId, id: MoreThan(page.at(-1)?.id ?? 0) },
        order: { id: 'ASC' },
        take: PAGE_SIZE,
      });
      for (const { car, remark } of page) yield csvLine([car, remark]);
    } while (page.length === PAGE_SIZE);
  }
}

/** The module of the export. */
@Module({
  imports: [TypeOrmModule.forFeature([Favorite])],
  controllers: [FavoritesExportController],
})
export class FavoritesExportModule {}
