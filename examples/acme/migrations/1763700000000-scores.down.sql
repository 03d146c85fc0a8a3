DROP TABLE acme_score;
