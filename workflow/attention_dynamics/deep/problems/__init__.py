"""Problems from data sets: a module for every kind of source, and the data that they build."""
