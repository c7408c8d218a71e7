from tests.benchmarks.run import main

main()
