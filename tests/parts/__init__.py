"""The real parts that tests stand on: databases, brokers, proxies, browsers, and servers of our own."""
